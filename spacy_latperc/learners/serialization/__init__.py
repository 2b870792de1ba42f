"""What a model file of a chain holds, and reading it with suspicion.

The container (header, arrays, checksum) is io/model_file.py.
"""
