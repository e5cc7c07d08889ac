/**
 * The procedures of schema {@code system}: maintenance of tables through Paimon's own library.
 *
 * <p>May be called by the connector alone. May touch {@code metadata} and all below.
 */
@NullMarked
package io.stele.paimon.procedure;

import org.jspecify.annotations.NullMarked;
