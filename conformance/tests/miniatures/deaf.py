"""Never reads what it is told."""

import time

if __name__ == "__main__":
    time.sleep(3600)
