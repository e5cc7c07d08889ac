/**
 * Statements of PostgreSQL's clients that have no fixed plan, run by a Trino server as the same
 * user.
 */
@NullMarked
package io.stele.sidecar.postgresql.trino;

import org.jspecify.annotations.NullMarked;
