/** The login of PostgreSQL's clients by SCRAM-SHA-256, which shows the secret to nobody. */
@NullMarked
package io.stele.sidecar.postgresql.auth;

import org.jspecify.annotations.NullMarked;
