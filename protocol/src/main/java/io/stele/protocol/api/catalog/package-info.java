/**
 * Actions on schemas, tables, views and their options, with their requests and replies.
 *
 * <p>Clients, the connector and the sidecar may call it; the other topics name its tables. It
 * touches schemas and predicates of module protocol only.
 */
@NullMarked
package io.stele.protocol.api.catalog;

import org.jspecify.annotations.NullMarked;
