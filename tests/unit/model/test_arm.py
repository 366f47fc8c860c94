"""Arms: what is honoured is named, what isn't is refused."""

import pytest

from pronghorn.model import arm as arms


def test_cubic_is_every_arms_default() -> None:
    assert {name: arms.parse(name).congestion_control for name in ("h1", "h2", "h3")} == dict.fromkeys(
        ("h1", "h2", "h3"), "cubic"
    )


def test_an_arm_sets_its_own_transports_control_only() -> None:
    assert arms.parse("h2@bbr").controls == {"tcp": "bbr", "quic": "cubic"}
    assert arms.parse("h3@newreno").controls == {"quic": "newreno", "tcp": "cubic"}


def test_the_label_alone_tells_equal_arms_apart() -> None:
    assert arms.parse("h2").identity == arms.parse("h2@cubic").identity
    assert arms.parse("h2").identity != arms.parse("h2#again").identity
    assert arms.parse("h2@bbr#again").name == "h2@bbr#again"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("h4", "unknown arm protocol 'h4'; did you mean"),
        (
            "h3@reno",
            "unknown congestion control of h3 'reno'; did you mean 'newreno'? Allowed: bbr, cubic, newreno.",
        ),
        ("h2@newreno", "Allowed: bbr, cubic, reno."),
        ("h3:quiche", "unknown QUIC stack 'quiche'; did you mean 'quinn'? Allowed: quinn, s2n."),
        ("h2:s2n", "':s2n' names a stack of QUIC; only h3 has one"),
        ("h3:s2n@bbr", "the BBR of s2n-quic is version 2. Write '@bbr2'."),
        ("h3:s2n@newreno", "unknown congestion control of s2n-quic 'newreno'"),
        ("h3:quinn@bbr2", "Allowed: bbr, cubic, newreno."),
        ("h3@bbr2", "unknown congestion control of h3 'bbr2'"),
        ("h3:s2n+0rtt", "s2n-quic resumes no session with our TLS library (rustls). Leave out '+0rtt'."),
        ("h3:s2n~altsvc", "Leave out ':s2n' or '~altsvc'."),
        ("h3~dns", "unknown discovery 'dns'"),
        ("h2~altsvc", "only h3 allows it"),
        ("h3+tls12", "QUIC has no TLS 1.2"),
        ("h2+tls12+0rtt", "TLS 1.2 has no 0-RTT data"),
        ("h3+warm+resumed", "'+resumed' and '+warm' exclude each other"),
        ("h3+clear", "QUIC is always encrypted"),
        ("h2+clear+resumed", "'+resumed' concerns TLS or an earlier visit"),
        ("h3+warm+warm", "'+warm' is there twice"),
        ("h3+early", "unknown option 'early'"),
        ("", "is no arm"),
        ("h2 h3", "is no arm"),
    ],
)
def test_a_wrong_arm_is_refused_with_what_is_allowed(text: str, said: str) -> None:
    with pytest.raises(arms.ArmError) as caught:
        arms.parse(text)
    assert said in str(caught.value)


def test_an_arm_may_name_the_stack_of_quic() -> None:
    arm = arms.parse("h3:s2n@bbr2#again")
    assert (arm.stack_asked, arm.stack, arm.congestion_control, arm.label) == ("s2n", "s2n", "bbr2", "again")
    assert arms.parse("h3").identity == arms.parse("h3:quinn").identity
    assert arms.parse("h3").identity != arms.parse("h3:s2n").identity


@pytest.mark.parametrize(
    ("one", "other", "differ_in_it_alone"),
    [
        ("h3:s2n", "h3", True),
        ("h3:s2n#a", "h3:quinn#b", True),
        ("h3", "h3:quinn", False),
        ("h3:s2n@bbr2", "h3", False),
        ("h2", "h3:s2n", False),
    ],
)
def test_arms_on_two_stacks_are_told_apart_from_arms_that_differ_otherwise(
    one: str, other: str, *, differ_in_it_alone: bool
) -> None:
    assert arms.parse(one).is_on_another_stack_than(arms.parse(other)) is differ_in_it_alone
