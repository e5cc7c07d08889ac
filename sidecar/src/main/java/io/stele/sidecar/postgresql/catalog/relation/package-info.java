/**
 * The relations of {@code pg_catalog} and {@code information_schema} with their rows, made of one
 * version of the engine's catalog, and the types and values of their columns.
 *
 * <p>The evaluation of catalog queries may call it. It may touch the engine's catalog, and neither
 * data nor the network.
 */
@NullMarked
package io.stele.sidecar.postgresql.catalog.relation;

import org.jspecify.annotations.NullMarked;
