# EXAIM Voice in one image: the page, livekit-server and every process of `exaim up`. See docs/running.md.
#
# It holds piper-tts, which is GPL-3.0-or-later: whoever passes the image on passes that on (docs/dependencies.md).

# --- the SFU, from its source ---
FROM golang:1.26-alpine AS sfu
ENV CGO_ENABLED=0 GOTOOLCHAIN=local
RUN go install -trimpath -ldflags="-s -w" github.com/livekit/livekit-server/cmd/server@v1.13.5

# --- the page ---
FROM node:24-slim AS page
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY web/index.html web/tsconfig.json web/vite.config.ts ./
COPY web/public/ public/
COPY web/src/ src/
RUN npm run build

# --- what runs ---
FROM python:3.11-slim-trixie
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /opt/exaim
# A user who owns the run folder and nothing else.
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /var/lib/exaim --shell /usr/sbin/nologin exaim \
    && install -d -o exaim -g exaim -m 0700 /var/lib/exaim

# Which packages: `run`, or an extra of requirements/, as `llm` (docs/llm.md).
ARG LOCK=run
COPY requirements/${LOCK}.lock requirements/
RUN pip install --no-cache-dir --compile --require-hashes --only-binary :all: -r requirements/${LOCK}.lock
COPY --from=sfu /go/bin/server /usr/local/bin/livekit-server

COPY pyproject.toml README.md LICENSE api.py ./
COPY agents/ agents/
COPY app/ app/
COPY exaim_core/ exaim_core/
COPY infra/ infra/
COPY lib/ lib/
COPY packages/ packages/
COPY realtime/ realtime/
COPY routes/ routes/
COPY cases/ cases/
COPY --from=page /src/web/dist/ web/dist/
# As a checkout is installed: cases/ and web/dist/ are found beside the packages. Readable whatever the umask
# of who checked it out.
RUN pip install --no-cache-dir --no-index --no-deps --no-build-isolation --editable . \
    && python -m compileall -q agents app exaim_core infra lib packages realtime routes api.py \
    && chmod -R a+rX .

# All that is written lies in the run folder (logs, the store's data, the SFU's generated key, records) and in /tmp.
ENV EXAIM_RUN_DIR=/var/lib/exaim
VOLUME ["/var/lib/exaim"]
USER 10001:10001
EXPOSE 8080/tcp
# With a certificate the API serves https. It is asked by an address that no certificate names, on this machine only.
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 \
    CMD ["python", "-c", "import os, ssl, urllib.request as u; tls = os.environ.get('EXAIM_TLS_CERT'); host = os.environ.get('EXAIM_API_HOST') or '0.0.0.0'; host = '127.0.0.1' if host == '0.0.0.0' else '[::1]' if host == '::' else '[%s]' % host if ':' in host else host; u.urlopen(('https' if tls else 'http') + '://' + host + ':' + os.environ.get('EXAIM_API_PORT', '8080') + '/health', timeout=4, context=ssl._create_unverified_context() if tls else None)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["exaim"]
CMD ["up"]
