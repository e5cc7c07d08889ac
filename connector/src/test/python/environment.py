"""Makes a folder with the clients of requirements.txt, unless it has them: environment.py FOLDER.

Status 3: Python has no venv. One process at a time works on a folder, whichever started it: the tests, or bin/stele before them.
"""

import fcntl
import pathlib
import subprocess
import sys

requirements = pathlib.Path(__file__).parent / "requirements.txt"
folder = pathlib.Path(sys.argv[1]).absolute()
folder.parent.mkdir(parents=True, exist_ok=True)
with open(folder.with_suffix(".lock"), "w") as lock:
    fcntl.lockf(lock, fcntl.LOCK_EX)
    done = folder / "installed.txt"
    wanted = requirements.read_text()
    if not done.exists() or done.read_text() != wanted:
        if subprocess.run([sys.executable, "-m", "venv", "--clear", folder]).returncode != 0:
            sys.exit(3)
        subprocess.run([folder / "bin" / "pip", "install", "--quiet", "-r", requirements], check=True)
        done.write_text(wanted)
