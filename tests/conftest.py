"""Settings that all tests share."""

import os

from hypothesis import HealthCheck, settings

# examples are the same on every run, and few enough for the fast suite
settings.register_profile(
    "default", max_examples=10, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", max_examples=300, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
