#!/bin/sh
# Writes an authority and two certificates that it has signed, for tests alone; made with OpenSSL 3.0.
# The keys protect nothing. Run it in this folder.
set -eu
days=36500
curve='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
openssl req -x509 $curve -keyout authority.key -out authority.pem -days $days -subj '/CN=Test authority'
sign() {
  openssl req $curve -keyout "$1.key" -out "$1.csr" -subj "/CN=$1"
  printf '%s\n' "$2" > "$1.ext"
  openssl x509 -req -in "$1.csr" -CA authority.pem -CAkey authority.key -days $days -extfile "$1.ext" -out "$1.pem"
  rm "$1.csr" "$1.ext"
}
sign server 'subjectAltName=IP:127.0.0.1,DNS:localhost'
sign client 'extendedKeyUsage=clientAuth'
rm -f authority.key authority.srl
