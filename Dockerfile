# Pronghorn in a container; docs/how-to/without-root.md says what a container needs to measure. The second stage's steps
# are proved in a bare Debian 12 by scripts/check-bare-root.

FROM debian:bookworm-slim AS build
WORKDIR /src
COPY . .
# `scripts/wheel` installs a compiler and Rust, of which Debian has one version each.
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive scripts/wheel /wheels

FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3-venv \
    && rm -rf /var/lib/apt/lists/*
COPY requirements.lock /tmp/requirements.lock
COPY --from=build /wheels /wheels
RUN python3 -m venv /opt/pronghorn \
    && /opt/pronghorn/bin/pip install --no-cache-dir --require-hashes -r /tmp/requirements.lock \
    && /opt/pronghorn/bin/pip install --no-cache-dir --no-deps /wheels/pronghorn-*.whl \
    && rm -rf /wheels /tmp/requirements.lock
ENV PATH=/opt/pronghorn/bin:$PATH
WORKDIR /work
ENTRYPOINT ["pronghorn"]
CMD ["--help"]
