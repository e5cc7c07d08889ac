/**
 * The catalog as PostgreSQL's clients see it: relations of {@code pg_catalog} and {@code
 * information_schema}, and the evaluation of queries over them.
 *
 * <p>The PostgreSQL port may call it. It may touch the engine's catalog, and neither data nor the
 * network.
 */
@NullMarked
package io.stele.sidecar.postgresql.catalog;

import org.jspecify.annotations.NullMarked;
