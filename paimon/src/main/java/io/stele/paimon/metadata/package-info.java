/**
 * The catalog in one Trino transaction: schemas, tables, versions, system tables and statistics.
 *
 * <p>May be called by the root package. May touch all packages but {@code plan} and {@code
 * procedure}.
 */
@NullMarked
package io.stele.paimon.metadata;

import org.jspecify.annotations.NullMarked;
