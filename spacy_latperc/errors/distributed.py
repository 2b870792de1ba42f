"""Messages about work on many machines."""


class Errors:
    """Error messages, by code."""

    LP820 = (
        "Work on a cluster needs Ray, which is not installed. Install it, on every "
        "machine of the cluster: {extra}"
    )
    LP821 = (
        "No cluster of Ray answers at {address}: {error}. Check the address and that "
        "the cluster runs (`ray status` there); without an address one is started on "
        "this machine."
    )
    LP822 = (
        "This process is connected to the cluster at {now} already, and cannot use "
        "that at {address} too. Call ray.shutdown() before, or give no address."
    )
    LP823 = (
        "Ray could not start a cluster on this machine: {error}. Look for more in the "
        "folder /tmp/ray/session_latest/logs."
    )
