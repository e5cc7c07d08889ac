/** Clients that people use with Trino, on a Stele catalog. */
@NullMarked
package io.stele.connector.clients;

import org.jspecify.annotations.NullMarked;
