"""Drawing takes its share of a core, and no more."""

from roomcode.tui.pace import Pace


class Meter:
    value = 0.0

    def __call__(self) -> float:
        return self.value


def test_dear_pictures_come_less_often() -> None:
    cpu, clock = Meter(), Meter()
    pace = Pace(cpu, clock)
    pauses = []
    for cost in (0.001, 0.012, 0.024, 0.5, 0.5):
        pace.drawing()
        pauses.append(round(pace.pause(), 3))
        cpu.value += cost
        clock.value += 0.1
    assert pauses == [0.05, 0.05, 0.1, 0.2, 0.4]


def test_the_first_picture_after_a_rest_comes_at_once() -> None:
    cpu, clock = Meter(), Meter()
    pace = Pace(cpu, clock)
    pace.drawing()
    cpu.value, clock.value = 5.0, 0.1
    pace.drawing()
    assert pace.pause() == 0.4
    clock.value = 60.0
    assert pace.pause() == 0.05
