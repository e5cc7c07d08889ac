/**
 * Planning decisions on what a scan takes over: filters, limits, expressions, aggregations, index
 * joins. May be called by {@code metadata} alone. Stateless. May touch {@code handle}, {@code
 * type}, {@code metadata.catalog}, the choices of {@code metadata.plan} and the bounds of {@code
 * read.prune}.
 */
@NullMarked
package io.stele.connector.metadata.pushdown;

import org.jspecify.annotations.NullMarked;
