/** The server of PostgreSQL's wire protocol: rows by key for any client of PostgreSQL. */
@NullMarked
package io.stele.sidecar.postgresql;

import org.jspecify.annotations.NullMarked;
