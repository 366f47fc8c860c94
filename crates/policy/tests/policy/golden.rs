//! Golden scripts: operations with the answers that come out, the same through Rust and through C.
//!
//! `PRONGHORN_RENEW_SNAPSHOTS=1` writes the answers anew, from Rust.

use std::fmt::Write;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use pronghorn_policy::{
    Arm, Ask, Downgrade, Policy, Protocol, Sample, Snapshot, Table, TcpControl,
};

const SCRIPTS: [&str; 4] = ["keys", "surface", "steering", "holdout"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn policy_path() -> PathBuf {
    folder().join("../data/small.toml")
}

#[test]
fn rust_answers_as_the_golden_scripts_say() {
    let policy = fs::read_to_string(policy_path()).expect("it can be read");
    let policy = Policy::parse(&policy).expect("sound");
    for name in SCRIPTS {
        let path = folder().join(name).with_extension("txt");
        let golden = fs::read_to_string(&path).expect("it can be read");
        let ours = replayed(&policy, &golden);
        if env::var_os("PRONGHORN_RENEW_SNAPSHOTS").is_some() {
            fs::write(&path, ours).expect("it can be written");
        } else {
            assert_eq!(ours, golden, "{name}");
        }
    }
}

#[test]
fn c_answers_as_the_golden_scripts_say() {
    let replay = compiled("cc", &["-std=c11"]);
    for name in SCRIPTS {
        let path = folder().join(name).with_extension("txt");
        let answer = Command::new(&replay).arg(policy_path()).arg(&path).output();
        let answer = answer.expect("it can be run");
        let said = String::from_utf8_lossy(&answer.stderr);
        assert!(answer.status.success(), "{name}: {said}");
        let golden = fs::read_to_string(&path).expect("it can be read");
        assert_eq!(String::from_utf8_lossy(&answer.stdout), golden, "{name}");
    }
    let layout = Command::new(&replay).arg("layout").output();
    let layout = layout.expect("it can be run").stdout;
    let golden = fs::read_to_string(folder().join("layout.txt")).expect("it can be read");
    assert_eq!(String::from_utf8_lossy(&layout), golden);
}

#[test]
fn the_header_compiles_as_c_and_as_cplusplus_without_a_warning() {
    let include = folder().join("../../include/pronghorn_policy.h");
    for (compiler, language, standard) in [("cc", "c", "-std=c11"), ("c++", "c++", "-std=c++17")] {
        let mut command = Command::new(compiler);
        command.args([
            "-x",
            language,
            standard,
            "-Wall",
            "-Wextra",
            "-Werror",
            "-pedantic",
        ]);
        command
            .args(["-fsyntax-only", "-include"])
            .arg(&include)
            .arg("/dev/null");
        let answer = command.output();
        let answer =
            answer.unwrap_or_else(|error| panic!("{compiler}: {error}; scripts/setup installs it"));
        let said = String::from_utf8_lossy(&answer.stderr);
        assert!(answer.status.success(), "{compiler}: {said}");
    }
}

/// The C program, linked with the static library that cargo has just made.
fn compiled(compiler: &str, options: &[&str]) -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("replay");
    let mut command = Command::new(compiler);
    command.args(options);
    command.args([
        "-D_POSIX_C_SOURCE=200809L",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-O1",
        "-g",
    ]);
    command.arg("-I").arg(folder().join("../../include"));
    command.arg(folder().join("replay.c")).arg(library());
    command
        .args(["-lpthread", "-ldl", "-lm", "-o"])
        .arg(&program);
    let answer = command.output();
    let answer =
        answer.unwrap_or_else(|error| panic!("{compiler}: {error}; scripts/setup installs it"));
    let said = String::from_utf8_lossy(&answer.stderr);
    assert!(answer.status.success(), "{said}");
    program
}

/// The newest of them: cargo keeps one for each set of features, beside this program.
fn library() -> PathBuf {
    let program = env::current_exe().expect("this program has a path");
    let beside = program.parent().expect("it lies in a folder");
    let files = fs::read_dir(beside).expect("the folder can be listed");
    let libraries = files.map(|file| file.expect("the folder can be listed").path());
    libraries
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("libpronghorn_policy") && name.ends_with(".a")
        })
        .max_by_key(|path| fs::metadata(path).and_then(|data| data.modified()).ok())
        .expect("cargo makes the static library with the tests")
}

fn replayed(policy: &Policy, script: &str) -> String {
    let secret = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    let mut memory = vec![0; (1 << 18) / 8];
    let mut table = Table::init(&mut memory, secret).expect("large enough");
    let (mut text, mut now_ms) = (String::new(), 0);
    for line in script.lines().filter(|line| !line.starts_with("-> ")) {
        writeln!(text, "{line}").expect("text grows");
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |index: usize| -> u64 {
            let word = words[index].rsplit('=').next().expect("a word");
            word.parse().unwrap_or_else(|_| panic!("{line}: {word}"))
        };
        let name = |index: usize| words[index].rsplit('=').next().expect("a word");
        let address = || -> IpAddr { words[1].parse().expect("an address") };
        match words.first().copied() {
            Some("at") => now_ms = number(1),
            Some("after") => now_ms += number(1),
            Some("keys") => {
                let keys = table.keys_of(address(), number(2) as u8, number(3) as u8);
                let [own, parent, client] = [keys.own, keys.parent, keys.client];
                writeln!(text, "-> {own:016x} {parent:016x} {client:016x}").expect("text grows");
            }
            Some("observe") => {
                let sample = Sample {
                    bytes: number(3),
                    time_us: number(4),
                    min_rtt_us: number(5) as u32,
                    sent: number(6) as u32,
                    lost: number(7) as u32,
                    rate_bytes_per_s: number(8),
                    tcp_control: control(name(9)),
                    stalled: number(10) == 1,
                    delivered: words.get(11).map_or(0, |_| number(11)),
                    dry_run: false,
                };
                let keys = table.keys_of(address(), 0, 0);
                table.observe(policy, keys, protocol(words[2]), &sample, now_ms);
            }
            Some("decide") => {
                let ask = Ask {
                    holdout: name(3).parse().expect("a number"),
                    max_age_s: number(4) as u32,
                    downgrade: match name(5) {
                        "off" => Downgrade::Off,
                        "lease" => Downgrade::Lease,
                        "clear" => Downgrade::Clear,
                        other => panic!("{other}"),
                    },
                    dry_run: number(6) == 1,
                    new_connection: number(7) == 1,
                    host: 0,
                };
                let keys = table.keys_of(address(), 0, 0);
                let d = table.decide(policy, keys, protocol(words[2]), &ask, now_ms);
                writeln!(
                    text,
                    "-> {} {} {} max_age={} propensity={:.6} gain={:.6} sd={:.6}",
                    d.action.name(),
                    d.reason.name(),
                    d.arm.name(),
                    d.max_age_s,
                    d.propensity,
                    d.gain,
                    d.sd
                )
                .expect("text grows");
            }
            Some("snapshot") => text += &told(&table.snapshot(policy, now_ms)),
            _ => assert!(line.starts_with('#'), "{line}"),
        }
    }
    text
}

fn protocol(name: &str) -> Protocol {
    match name {
        "tcp" => Protocol::Tcp,
        "quic" => Protocol::Quic,
        other => panic!("{other}"),
    }
}

fn control(name: &str) -> TcpControl {
    match name {
        "unknown" => TcpControl::Unknown,
        "cubic" => TcpControl::Cubic,
        "bbr" => TcpControl::Bbr,
        "reno" => TcpControl::Reno,
        other => panic!("{other}"),
    }
}

fn told(s: &Snapshot) -> String {
    let number = |value: f64| {
        if value.is_nan() {
            "-".to_owned()
        } else {
            format!("{value:.6}")
        }
    };
    let mut text = format!(
        "-> keys={} parents={} on={} blocked={} evicted={} refused={} samples={},{} stalls={},{} decisions={},{},{} \
         offers={} upgrades={} downgrades={} blocks={} epoch={}\n",
        s.keys,
        s.parents,
        s.keys_on,
        s.keys_blocked,
        s.evicted,
        s.refused,
        s.samples[0],
        s.samples[1],
        s.stalls[0],
        s.stalls[1],
        s.decisions[0],
        s.decisions[1],
        s.decisions[2],
        s.offers,
        s.upgrades,
        s.downgrades,
        s.blocks,
        s.epoch
    );
    for (arm, group) in [Arm::Steered, Arm::PinnedH2, Arm::PinnedH3]
        .iter()
        .zip(&s.now)
    {
        let (mean, sd) = (number(group.mean), number(group.sd));
        text += &format!(
            "-> {} keys={} mean={mean} sd={sd}\n",
            arm.name(),
            group.keys
        );
    }
    let uplift = s.steered_now;
    let [ratio, low, high] = [uplift.ratio, uplift.low, uplift.high].map(number);
    text += &format!("-> uplift ratio={ratio} low={low} high={high}\n");
    text
}
