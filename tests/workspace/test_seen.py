"""Who has seen which state of a file decides who may write over it."""

from roomcode.workspace.seen import PERSON, Seen


def test_a_file_nobody_touched_may_be_written_unread():
    assert Seen().stale("conversation", "a", "1") == ""


def test_what_was_read_may_be_written_until_it_changes():
    seen = Seen()
    seen.saw("conversation", "a", "1")
    assert seen.stale("conversation", "a", "1") == ""
    assert seen.stale("conversation", "a", "2") == PERSON


def test_an_own_write_counts_as_a_read():
    seen = Seen()
    seen.saw("conversation", "a", "1")
    seen.wrote("conversation", "agent", "a", "2")
    assert seen.stale("conversation", "a", "2") == ""


def test_another_readers_write_is_named_also_for_a_file_never_read():
    seen = Seen()
    seen.saw("conversation", "a", "1")
    seen.wrote("helper", "helper", "a", "2")
    assert seen.stale("conversation", "a", "2") == "helper"
    assert seen.stale("third", "a", "2") == "helper"
    assert seen.stale("helper", "a", "2") == ""


def test_a_change_by_hand_is_unseen_by_everyone():
    seen = Seen()
    seen.saw("conversation", "a", "1")
    seen.changed_by_person("a", "2")
    assert seen.stale("conversation", "a", "2") == PERSON
    assert seen.stale("helper", "a", "2") == PERSON


def test_a_refusal_is_remembered_for_one_request_and_reader():
    seen = Seen()
    assert not seen.refused_before("conversation", "a")
    assert seen.refused_before("conversation", "a")
    assert not seen.refused_before("helper", "a")
    seen.new_request()
    assert not seen.refused_before("conversation", "a")


def test_knowledge_can_be_kept_and_given_back():
    seen = Seen()
    seen.saw("conversation", "a", "1")
    other = Seen()
    other.restore("conversation", seen.known("conversation"))
    assert other.stale("conversation", "a", "2") == PERSON
    assert other.files() == {"a"}
