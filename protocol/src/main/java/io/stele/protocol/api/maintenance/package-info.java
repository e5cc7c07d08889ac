/**
 * Actions on long work and on the files and history of tables, for operators.
 *
 * <p>Clients, the connector and the sidecar may call it. It touches the topic catalog, and schemas
 * of module protocol.
 */
@NullMarked
package io.stele.protocol.api.maintenance;

import org.jspecify.annotations.NullMarked;
