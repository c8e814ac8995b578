"""A run deals its threads out to mounts and folders in turn."""

from coldcache.tools.run import NO_INPUTS, Inputs, Run


def run(**fields):
    return Run(operations=("write",), directory="/t", threads=4, **fields)


def test_without_mounts_all_threads_use_the_directory():
    assert run().folders == ("/t",)
    assert run().name_within(3) == ""


def test_folders_and_mounts_are_combined_until_they_repeat():
    assert run(subfolders=("d0", "d1")).folders == ("/t/d0", "/t/d1")
    assert run(mounts=("/m/c1", "/m/c2")).folders == ("/m/c1", "/m/c2")
    found = run(mounts=("/c1", "/c2"), subfolders=("a", "b", "c")).folders
    assert found == ("/c1/a", "/c2/b", "/c1/c", "/c2/a", "/c1/b", "/c2/c")


def test_a_threads_files_lie_in_its_folder():
    dealt = run(subfolders=("d0", "d1"))
    assert [dealt.name_within(thread) for thread in range(3)] == ["d0/", "d1/", "d0/"]


def test_inputs_have_their_size_for_each_name():
    assert Inputs((("t0",), ("t1", "u1")), 100).total == 300
    assert NO_INPUTS.total == 0
