// average
