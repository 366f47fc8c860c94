"""What a gateway's configuration may say, and what nginx answers where it says something else."""

from pathlib import Path

import pytest

from pronghorn.certificates import Certificates

from .gateway import gateway, policy

pytestmark = [pytest.mark.needs("nginx", "autoquic"), pytest.mark.beside]


@pytest.mark.parametrize(
    ("directives", "said"),
    [
        ("autoquic perhaps;", 'invalid value "perhaps" in "autoquic" directive, it must be "on" or "off"'),
        ("autoquic on; autoquic on;", '"autoquic" directive is duplicate'),
        ("autoquic_downgrade never;", 'invalid value "never"'),
        ("autoquic_max_age 0;", "value must be between 1 and 604800"),
        ("autoquic_max_age soon;", '"autoquic_max_age" directive invalid value'),
        ("autoquic_holdout 60%;", 'invalid share "60%": 0 to 0.5, or 0% to 50%, is wanted'),
        ("autoquic_holdout some;", 'invalid share "some"'),
        ("autoquic_port 70000;", "value must be between 1 and 65535"),
        ("autoquic_prefix 8 56;", 'invalid IPv4 prefix "8": 16 to 32 bits are wanted'),
        ("autoquic_prefix 24 200;", 'invalid IPv6 prefix "200": 40 to 128 bits are wanted'),
        ("autoquic_zone again:1m;", '"autoquic_zone" directive is duplicate'),
        ("autoquic_policy policy.toml;", '"autoquic_policy" directive is duplicate'),
        ("autoquic_status;", '"autoquic_status" directive is not allowed here'),
    ],
)
def test_a_directive_that_means_nothing_is_refused_with_what_is_allowed(
    directives: str, said: str, identity: Certificates, tmp_path: Path
) -> None:
    with gateway(tmp_path, identity, policy_text=policy(0.7), directives=directives, start=False) as one:
        tested = one.tested()

    assert tested.returncode == 1
    assert said in tested.stderr
    assert "nginx.conf:" in tested.stderr


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        ("clients", 'invalid zone "clients": NAME:SIZE is wanted, as in "clients:32m"'),
        ("clients:much", 'invalid zone size "clients:much"'),
        ("clients:4k", 'zone "clients:4k" is too small: at least 65536 bytes'),
        ("'cli\"ents:1m'", "invalid zone name"),
    ],
)
def test_a_zone_has_a_name_and_a_size(zone: str, said: str, identity: Certificates, tmp_path: Path) -> None:
    with gateway(tmp_path, identity, policy_text=policy(0.7), start=False) as one:
        one.write(one.text.replace("clients:8m", zone))
        tested = one.tested()

    assert tested.returncode == 1
    assert said in tested.stderr


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("autoquic_zone clients:8m;", '"autoquic_zone NAME:SIZE" is missing'),
        ("autoquic_policy policy.toml;", '"autoquic_policy FILE" is missing'),
    ],
)
def test_what_the_gateway_needs_is_named_where_it_is_missing(
    missing: str, said: str, identity: Certificates, tmp_path: Path
) -> None:
    with gateway(tmp_path, identity, policy_text=policy(0.7), start=False) as one:
        one.write(one.text.replace(missing, ""))
        tested = one.tested()

    assert tested.returncode == 1
    assert said in tested.stderr


def test_a_policy_that_cannot_be_read_is_refused_with_its_line_and_the_reason(
    identity: Certificates, tmp_path: Path
) -> None:
    text = policy(0.7, dwel_s=1)
    line = next(number for number, each in enumerate(text.splitlines(), 1) if each.startswith("dwel_s"))
    with gateway(tmp_path, identity, policy_text=text, start=False) as one:
        tested = one.tested()

    assert tested.returncode == 1
    assert f"policy.toml:{line}: " in tested.stderr
    assert "dwel_s" in tested.stderr


def test_a_policy_that_is_not_there_is_refused(identity: Certificates, tmp_path: Path) -> None:
    with gateway(tmp_path, identity, policy_text=policy(0.7), start=False) as one:
        one.write(one.text.replace("policy.toml", "nowhere.toml"))
        tested = one.tested()

    assert tested.returncode == 1
    assert 'nowhere.toml" failed (2: No such file or directory)' in tested.stderr


def test_a_gateway_to_which_nobody_can_come_by_quic_is_warned_of(
    identity: Certificates, tmp_path: Path
) -> None:
    with gateway(tmp_path, identity, policy_text=policy(0.7), start=False) as one:
        one.write("\n".join(line for line in one.text.splitlines() if " quic " not in line))
        tested = one.tested()

    assert tested.returncode == 0
    assert "nobody will come by HTTP/3" in tested.stderr


def test_what_it_says_is_inherited_and_a_location_may_say_otherwise(
    identity: Certificates, tmp_path: Path
) -> None:
    locations = """
        autoquic_max_age 60s;
        location /short { autoquic_max_age 5s; return 200 "x"; }
        location /elsewhere { autoquic_port 4433; return 200 "x"; }
        location /off { autoquic off; return 200 "x"; }
    """
    with gateway(tmp_path, identity, policy_text=policy(0.7), locations=locations) as one:
        said = {
            path: one.curl(path=path)[0].headers.get("alt-svc")
            for path in ("/", "/short", "/elsewhere", "/off")
        }

    assert said == {
        "/": f'h3=":{one.port}"; ma=60',
        "/short": f'h3=":{one.port}"; ma=5',
        "/elsewhere": 'h3=":4433"; ma=60',
        "/off": None,
    }
