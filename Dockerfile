# Segno in a container, built from the package that is published.
#
#   docker build --tag segno .
#   docker run --rm --volume "$PWD:/work" segno validate flows/release.yaml
#   docker run --rm --volume "$PWD:/work" --volume segno:/home/node/.segno segno run flows/release.yaml
#
# Scripts of a workflow run inside the container: derive an image with the programs that they need.
FROM node:22-slim AS package
WORKDIR /source
COPY . .
RUN npm ci --no-audit --no-fund && npm pack --pack-destination /package

FROM node:22-slim
COPY --from=package /package /package
RUN npm install --global --no-audit --no-fund /package/segno-*.tgz && rm -r /package
# Runs outlive the container on this volume; a resume finds them there.
RUN mkdir --parents /home/node/.segno /work && chown node:node /home/node/.segno /work
VOLUME /home/node/.segno
USER node
WORKDIR /work
ENTRYPOINT ["segno"]
CMD ["--help"]
