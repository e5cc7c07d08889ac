/**
 * The evaluation of catalog queries of PostgreSQL's clients, in memory: parser, compilers,
 * functions, joins and order.
 *
 * <p>The PostgreSQL port and Flight SQL may call it. It may touch the relations in {@code
 * relation}, and neither data nor the network.
 */
@NullMarked
package io.stele.sidecar.postgresql.catalog;

import org.jspecify.annotations.NullMarked;
