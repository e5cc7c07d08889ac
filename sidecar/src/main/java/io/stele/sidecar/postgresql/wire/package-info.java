/** The messages of PostgreSQL's wire protocol, version 3, as bytes. */
@NullMarked
package io.stele.sidecar.postgresql.wire;

import org.jspecify.annotations.NullMarked;
