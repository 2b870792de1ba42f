"""Training without a config: read annotated data of any common format, detect the task,
write a config, train, and report."""
