/**
 * Views and materialized views, with their stored definitions and refreshes. May be called by
 * {@code metadata} alone. May touch {@code metadata.transaction} and {@code metadata.catalog}.
 */
@NullMarked
package io.stele.connector.metadata.view;

import org.jspecify.annotations.NullMarked;
