/** PostgreSQL's types: their values as text and as bytes, and how Stele's types map to them. */
@NullMarked
package io.stele.sidecar.postgresql.type;

import org.jspecify.annotations.NullMarked;
