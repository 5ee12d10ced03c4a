"""A machine file fitted to what benchmarks measured: ``haichi calibrate``."""

from haichi.calibration.calibrate import Calibration, calibrate

__all__ = ["Calibration", "calibrate"]
