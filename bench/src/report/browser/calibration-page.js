/** The page of `plimsoll calibrate`: the calibration section alone. */
void calibrationView.start();
