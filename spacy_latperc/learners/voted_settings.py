"""What voting goes with: weights that change only by what is added to them."""

from ..errors import Errors


def check_vote(average: str, step: str, pull: float) -> None:
    """Settings of a learner whose updates are kept, or an error."""
    if average == "mavg":
        raise ValueError(
            Errors.LP058.format(
                setting='average = "mavg"', advice='Set average = "average".'
            )
        )
    if step != "plain":
        raise ValueError(
            Errors.LP058.format(
                setting=f'step = "{step}"', advice='Set step = "plain".'
            )
        )
    if pull > 0:
        raise ValueError(
            Errors.LP058.format(setting=f"pull = {pull}", advice="Set pull = 0.")
        )


def check_latent(latent: int) -> None:
    if latent > 1:
        raise ValueError(
            Errors.LP058.format(setting=f"latent = {latent}", advice="Set latent = 1.")
        )
