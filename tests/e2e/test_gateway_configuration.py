"""What a gateway's configuration may say, and what nginx answers where it says something else."""

import re
import subprocess
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates
from pronghorn.origins import programs

from .gateway import gateway, policy

pytestmark = [pytest.mark.needs("nginx", "autoquic"), pytest.mark.beside]

SECOND_SERVER = """
    server {
        HERE
        listen 127.0.0.1:PORT ssl;
        server_name second.test;
        ssl_certificate origin.pem;
        ssl_certificate_key origin.key;
        location / { return 200 "second"; }
    }
"""
"""Another server block on the same address, without a listener by QUIC of its own."""


@pytest.mark.parametrize(
    ("directives", "said"),
    [
        ("autoquic perhaps;", 'invalid value "perhaps": "on", "off" or "withdraw" is wanted'),
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


@pytest.mark.parametrize(
    "directive",
    [
        "autoquic_policy policy.toml;",
        "autoquic_zone others:1m;",
        "autoquic_downgrade clear;",
        "autoquic_max_age 60s;",
        "autoquic_holdout 5%;",
        "autoquic_dry_run on;",
        "autoquic_port 443;",
        "autoquic_prefix 24 56;",
    ],
)
def test_what_is_of_an_origin_is_refused_in_a_location(
    directive: str, identity: Certificates, tmp_path: Path
) -> None:
    locations = f"location /part {{ {directive} }}"
    with gateway(tmp_path, identity, policy_text=policy(0.7), locations=locations, start=False) as one:
        tested = one.tested()

    assert tested.returncode == 1
    assert f'"{directive.split()[0]}" directive is not allowed here' in tested.stderr


def test_a_location_is_not_withdrawn_from(identity: Certificates, tmp_path: Path) -> None:
    locations = "location /part { autoquic withdraw; }"
    with gateway(tmp_path, identity, policy_text=policy(0.7), locations=locations, start=False) as one:
        tested = one.tested()

    assert tested.returncode == 1
    assert '"autoquic" directive withdraws for a whole server, not for a location of it' in tested.stderr


def test_policies_of_different_epochs_do_not_share_a_zone(identity: Certificates, tmp_path: Path) -> None:
    other = SECOND_SERVER.replace("HERE", "autoquic_policy other.toml;")
    with gateway(tmp_path, identity, policy_text=policy(0.7), more=other, start=False) as one:
        (tmp_path / "other.toml").write_text(policy(0.7, epoch_s=3600))
        shared = one.tested()
        one.write(one.text.replace("other.toml;", "other.toml; autoquic_zone others:1m;"))
        apart = one.tested()

    assert shared.returncode == 1
    assert 'the policies that share the zone "clients" have different epochs, ' in shared.stderr
    assert "86400 s" in shared.stderr
    assert "3600 s" in shared.stderr
    assert apart.returncode == 0, apart.stderr


def test_places_of_different_holdouts_do_not_share_a_zone(identity: Certificates, tmp_path: Path) -> None:
    other = SECOND_SERVER.replace("HERE", "autoquic_holdout 20%;")
    with gateway(tmp_path, identity, policy_text=policy(0.7, holdout=0.05), more=other, start=False) as one:
        shared = one.tested()
        one.write(one.text.replace("20%;", "20%; autoquic_zone others:1m;"))
        apart = one.tested()
        one.write(one.text.replace("20%;", "5%;"))
        alike = one.tested()

    assert shared.returncode == 1
    assert 'places that share the zone "clients" have different holdouts, ' in shared.stderr
    assert "0.0500" in shared.stderr
    assert "0.2000" in shared.stderr
    assert apart.returncode == 0, apart.stderr
    assert alike.returncode == 0, alike.stderr


def test_places_of_different_prefixes_do_not_share_a_zone(identity: Certificates, tmp_path: Path) -> None:
    other = SECOND_SERVER.replace("HERE", "autoquic_prefix 32 56;")
    with gateway(tmp_path, identity, policy_text=policy(0.7), more=other, start=False) as one:
        shared = one.tested()
        one.write(one.text.replace("32 56;", "24 56;"))
        alike = one.tested()

    assert shared.returncode == 1
    assert (
        'places that share the zone "clients" have different prefixes, 24 and 32 bits of IPv4'
        in shared.stderr
    )
    assert alike.returncode == 0, alike.stderr


def test_an_nginx_for_which_the_module_was_not_built_refuses_it(
    identity: Certificates, tmp_path: Path
) -> None:
    *loader, program = programs.find("nginx").argv
    argv = [*loader, str(_other_nginx(Path(program), tmp_path))]
    with gateway(tmp_path, identity, policy_text=policy(0.7), start=False) as one:
        _, *arguments = one.argv("-t")[len(loader) :]
        tested = subprocess.run(
            [*argv, *arguments], cwd=one.folder, capture_output=True, text=True, check=False
        )

    assert tested.returncode == 1
    assert "ngx_http_autoquic_module was built for another nginx" in tested.stderr
    assert "build it for this one (scripts/autoquic), or load it no more" in tested.stderr


def _other_nginx(program: Path, folder: Path) -> Path:
    """The same program with another build ID; where it is a script that starts nginx, as under the
    sanitizers, a script that starts the other one."""
    image = bytearray(program.read_bytes())
    other = folder / "other-nginx"
    if image.startswith(b"#!"):
        script = image.decode()
        (nginx,) = re.findall(r"'([^' ]+/nginx)'", script)
        other.write_text(script.replace(nginx, str(_other_nginx(Path(nginx), folder / "other"))))
    else:
        folder.mkdir(exist_ok=True)
        image[_end_of_build_id(image) - 1] ^= 0xFF
        other.write_bytes(image)
    other.chmod(0o755)
    return other


def _end_of_build_id(image: bytearray) -> int:
    """Where the build ID ends in a program: an ELF note of a name of 4 bytes, of an ID of 20, of type 3."""
    head = b"".join(number.to_bytes(4, "little") for number in (4, 20, 3)) + b"GNU\0"
    assert image.count(head) == 1
    return image.index(head) + len(head) + 20


def test_a_server_block_that_does_not_listen_by_quic_is_warned_of(
    identity: Certificates, tmp_path: Path
) -> None:
    with gateway(
        tmp_path, identity, policy_text=policy(0.7), more=SECOND_SERVER.replace("HERE", ""), start=False
    ) as one:
        tested = one.tested()

    assert tested.returncode == 0
    assert tested.stderr.count("does not listen by QUIC") == 1
    assert "it offers HTTP/3 to nobody" in tested.stderr


def test_what_it_says_is_inherited_and_a_location_may_stay_out_of_it(
    identity: Certificates, tmp_path: Path
) -> None:
    locations = """
        autoquic_max_age 60s;
        location /off { autoquic off; return 200 "x"; }
        location /off/on { autoquic on; return 200 "x"; }
    """
    with gateway(tmp_path, identity, policy_text=policy(0.7), locations=locations) as one:
        said = {path: one.curl(path=path)[0].headers.get("alt-svc") for path in ("/", "/off", "/off/on")}

    offer = f'h3=":{one.port}"; ma=60'
    assert said == {"/": offer, "/off": None, "/off/on": offer}
