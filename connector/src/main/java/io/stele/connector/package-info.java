/**
 * The Trino connector {@code stele}: a front door that reads files directly and live rows from
 * sidecars.
 */
@NullMarked
package io.stele.connector;

import org.jspecify.annotations.NullMarked;
