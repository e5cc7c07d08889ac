/**
 * The Trino connector {@code stele}, which reads files directly, and live rows from sidecars: this
 * package assembles its parts for a catalog. May be called by Trino alone. May touch all packages
 * of the connector.
 */
@NullMarked
package io.stele.connector;

import org.jspecify.annotations.NullMarked;
