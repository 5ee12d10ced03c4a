"""A machine file fitted to measured benchmark results: ``haichi calibrate``."""

from haichi.calibration.calibrate import Calibration, calibrate

__all__ = ["Calibration", "calibrate"]
