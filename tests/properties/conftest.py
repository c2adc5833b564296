"""Properties are tried without a deadline and without a database; in CI always on the same examples."""

import os

from hypothesis import HealthCheck, settings

IN_CI = os.environ.get("CI", "").lower() not in {"", "0", "false", "no"}

PLAYS = settings(
    deadline=None,
    database=None,
    derandomize=IN_CI,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
"""Profile ``plays``: what an example costs is the play of a whole shoe's worth of inputs."""
settings.register_profile("plays", PLAYS)
