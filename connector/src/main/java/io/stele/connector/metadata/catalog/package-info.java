/**
 * Relations as the sidecar describes them and as Trino does: requests, definitions, properties,
 * values. May be called by all other packages of {@code metadata} and by the root package. May
 * touch {@code sidecar}, {@code handle}, {@code type} and {@code error}.
 */
@NullMarked
package io.stele.connector.metadata.catalog;

import org.jspecify.annotations.NullMarked;
