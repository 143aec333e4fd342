from pathlib import Path

from roomcode.preview.screenshots import default_folder, store


def test_a_picture_is_written_whole_and_named_by_port_and_load(tmp_path: Path) -> None:
    path = store(tmp_path / "new" / "folder", 5173, 7, b"png")
    assert Path(path).read_bytes() == b"png"
    assert Path(path).name == "5173-0007.png"
    assert [one.name for one in Path(path).parent.iterdir()] == ["5173-0007.png"]


def test_old_pictures_give_way(tmp_path: Path) -> None:
    for number in range(50):
        store(tmp_path, 5173, number, b"x")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert len(names) == 40
    assert names[-1] == "5173-0049.png"


def test_a_folder_that_cannot_be_written_costs_only_the_picture(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert store(tmp_path / "file", 5173, 1, b"x") == ""
    assert store(tmp_path / "file" / "below", 5173, 1, b"x") == ""


def test_each_project_has_its_own_folder(tmp_path: Path) -> None:
    one, two = default_folder(tmp_path / "a"), default_folder(tmp_path / "b")
    assert one != two
    assert one.parent == two.parent
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert default_folder(tmp_path / "link") == one
