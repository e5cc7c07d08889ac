/** Splits and page sources. */
@NullMarked
package io.stele.connector.read;

import org.jspecify.annotations.NullMarked;
