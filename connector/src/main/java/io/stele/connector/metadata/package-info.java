/**
 * The catalog in one Trino transaction: the operations that Trino calls on tables, views and
 * writes. May be called by the root package and {@code read.split}. May touch all packages below
 * {@code metadata}, {@code sidecar}, {@code handle} and {@code type}.
 */
@NullMarked
package io.stele.connector.metadata;

import org.jspecify.annotations.NullMarked;
