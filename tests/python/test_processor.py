"""Programs for AVX2 say what is missing on a processor without it. QEMU, from Debian's packages,
imitates the processor."""

import platform
import shutil
import sys

import pytest

import program
from test_c import C, LIBRARY, compiled
from test_csharp import SUDO

INSTALL = f"{SUDO}apt-get update && {SUDO}apt-get install -y --no-install-recommends qemu-user"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only programs for x86-64 need AVX2")
def test_a_processor_without_avx2_is_named(tmp_path):
    if (
        shutil.which("qemu-x86_64") is None
        and program.execute("sh", "-c", INSTALL, timeout=None).returncode
    ):
        pytest.fail(f"cannot find or install `qemu-x86_64`: {INSTALL}")
    play = compiled(
        tmp_path, C / "examples" / "play.c", f"-L{LIBRARY}", f"-Wl,-rpath,{LIBRARY}", "-lashta"
    )
    for command in [
        (program.ASHTA, "bots"),
        (play, "greedy", "siga", "2"),
        (sys.executable, "-c", "import ashta"),
    ]:
        # The variable would make numpy use the instructions of the processor below the emulation.
        emulated = ("qemu-x86_64", "-cpu", "Nehalem", "-U", "OPENBLAS_CORETYPE")
        ran = program.execute(*emulated, *command)
        assert ran.returncode == 1, ran
        assert "ashta needs a processor with AVX2 and FMA" in ran.stderr, ran
