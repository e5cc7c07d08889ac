/** The Trino connector {@code stele}: it reads files directly, and live rows from sidecars. */
@NullMarked
package io.stele.connector;

import org.jspecify.annotations.NullMarked;
