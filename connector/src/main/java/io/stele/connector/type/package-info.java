/** Translation between Trino's types, blocks and domains and Stele's. */
@NullMarked
package io.stele.connector.type;

import org.jspecify.annotations.NullMarked;
