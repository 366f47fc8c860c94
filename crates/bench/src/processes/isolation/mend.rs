//! What to tell a person whose host refuses a bench.

use std::fs;
use std::path::Path;

use nix::errno::Errno;

use super::probe::{Refusal, Step, Way};

/// The options that a container needs.
pub(super) const CONTAINER: &str = "run the container with `--device /dev/net/tun --cap-add NET_ADMIN \
    --cap-add SYS_ADMIN` (docker or podman; add `--security-opt seccomp=unconfined \
    --security-opt apparmor=unconfined` where it is still refused)";

/// What of the host decides which mend is the right one.
pub(super) struct Host {
    /// `kernel.unprivileged_userns_clone` is 0 (Debian's kernels).
    pub(super) userns_clone_off: bool,
    /// `user.max_user_namespaces` is 0.
    pub(super) userns_limit_zero: bool,
    /// `kernel.apparmor_restrict_unprivileged_userns` is 1 (Ubuntu 23.10 and later).
    pub(super) apparmor_restricts: bool,
    /// The process runs in a container.
    pub(super) container: bool,
}

impl Host {
    pub(super) fn look() -> Host {
        let sysctl = |path: &str, value: &str| {
            fs::read_to_string(Path::new("/proc/sys").join(path))
                .is_ok_and(|text| text.trim() == value)
        };
        Host {
            userns_clone_off: sysctl("kernel/unprivileged_userns_clone", "0"),
            userns_limit_zero: sysctl("user/max_user_namespaces", "0"),
            apparmor_restricts: sysctl("kernel/apparmor_restrict_unprivileged_userns", "1"),
            container: ["/.dockerenv", "/run/.containerenv"]
                .iter()
                .any(|f| Path::new(f).exists())
                || std::env::var_os("container").is_some(),
        }
    }
}

/// The refusal's reason in one sentence, and what mends it.
pub(super) fn explain(refusal: &Refusal, host: &Host) -> (String, String) {
    let Refusal { way, step, errno } = *refusal;
    let what = match step {
        Step::Fork => "a child process could not be started",
        Step::UserNamespace => "user namespaces are denied",
        Step::IdentityMap => "a user namespace's uid and gid can't be mapped",
        Step::Namespaces => "network namespaces are denied",
        Step::OpenTun if errno == Errno::ENOENT => "/dev/net/tun does not exist",
        Step::OpenTun => "/dev/net/tun can't be opened",
        Step::CreateDevice => "a TUN device can't be created",
    };
    let (cause, mend) = match step {
        Step::Fork => (
            None,
            "free some memory or raise the limit of processes (ulimit -u)".into(),
        ),
        Step::UserNamespace | Step::IdentityMap | Step::Namespaces => namespaces(way, errno, host),
        Step::OpenTun => (None, open_tun(errno, host)),
        Step::CreateDevice if host.container || way == Way::Root => (None, CONTAINER.into()),
        Step::CreateDevice => (None, "run as root".into()),
    };
    let cause = cause
        .map(|sysctl| format!(", by {sysctl}"))
        .unwrap_or_default();
    (format!("{what}{cause} ({})", errno.desc()), mend)
}

fn namespaces(way: Way, errno: Errno, host: &Host) -> (Option<&'static str>, String) {
    let off = |setting: &'static str, mend: &str| {
        (
            Some(setting),
            format!("run as root, or `sudo sysctl {mend}`"),
        )
    };
    if way == Way::User && host.userns_clone_off {
        return off(
            "kernel.unprivileged_userns_clone=0",
            "-w kernel.unprivileged_userns_clone=1",
        );
    }
    if way == Way::User && host.userns_limit_zero {
        return off(
            "user.max_user_namespaces=0",
            "-w user.max_user_namespaces=15000",
        );
    }
    if way == Way::User && host.apparmor_restricts {
        return off(
            "AppArmor (kernel.apparmor_restrict_unprivileged_userns=1)",
            "-w kernel.apparmor_restrict_unprivileged_userns=0",
        );
    }
    let mend = match errno {
        Errno::ENOSPC => "raise the limits user.max_user_namespaces, user.max_net_namespaces and \
            user.max_pid_namespaces (sysctl)"
            .into(),
        Errno::EINVAL | Errno::ENOSYS => {
            "use a kernel with network, PID and user namespaces (CONFIG_NET_NS, CONFIG_PID_NS, CONFIG_USER_NS)"
                .into()
        }
        _ if host.container || way == Way::Root => CONTAINER.into(),
        _ => format!("run as root; in a container, {CONTAINER}"),
    };
    (None, mend)
}

fn open_tun(errno: Errno, host: &Host) -> String {
    match errno {
        _ if host.container && errno != Errno::EACCES => CONTAINER.into(),
        Errno::EACCES => "run as root, or `sudo chmod 666 /dev/net/tun`".into(),
        Errno::EPERM => CONTAINER.into(),
        _ => format!("`sudo modprobe tun`; in a container, {CONTAINER}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Host = Host {
        userns_clone_off: false,
        userns_limit_zero: false,
        apparmor_restricts: false,
        container: false,
    };

    fn mend(way: Way, step: Step, errno: Errno, host: &Host) -> String {
        explain(&Refusal { way, step, errno }, host).1
    }

    #[test]
    fn each_sysctl_that_denies_user_namespaces_is_named_with_its_command() {
        let clone = Host {
            userns_clone_off: true,
            ..PLAIN
        };
        let limit = Host {
            userns_limit_zero: true,
            ..PLAIN
        };
        let apparmor = Host {
            apparmor_restricts: true,
            ..PLAIN
        };
        for (host, errno, step, setting) in [
            (
                clone,
                Errno::EPERM,
                Step::UserNamespace,
                "kernel.unprivileged_userns_clone=1",
            ),
            (
                limit,
                Errno::ENOSPC,
                Step::UserNamespace,
                "user.max_user_namespaces=",
            ),
            (
                apparmor,
                Errno::EPERM,
                Step::Namespaces,
                "apparmor_restrict_unprivileged_userns=0",
            ),
        ] {
            assert!(
                mend(Way::User, step, errno, &host).contains(setting),
                "{setting}"
            );
        }
    }

    #[test]
    fn a_container_is_told_the_device_and_the_capabilities() {
        let host = Host {
            container: true,
            ..PLAIN
        };
        for (way, step, errno) in [
            (Way::Root, Step::Namespaces, Errno::EPERM),
            (Way::Root, Step::OpenTun, Errno::ENOENT),
            (Way::User, Step::Namespaces, Errno::EPERM),
            (Way::Root, Step::CreateDevice, Errno::EPERM),
        ] {
            let mend = mend(way, step, errno, &host);
            for option in [
                "--device /dev/net/tun",
                "--cap-add NET_ADMIN",
                "--cap-add SYS_ADMIN",
            ] {
                assert!(mend.contains(option), "{step:?}: {mend}");
            }
        }
    }

    #[test]
    fn a_closed_tun_device_is_told_how_to_open_it() {
        let refusal = Refusal {
            way: Way::User,
            step: Step::OpenTun,
            errno: Errno::EACCES,
        };
        let (reason, mend) = explain(&refusal, &PLAIN);
        assert_eq!(reason, "/dev/net/tun can't be opened (Permission denied)");
        assert_eq!(mend, "run as root, or `sudo chmod 666 /dev/net/tun`");
        assert!(open_tun(Errno::ENOENT, &PLAIN).contains("modprobe tun"));
    }
}
