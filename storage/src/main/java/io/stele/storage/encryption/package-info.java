/** Encryption of everything that a warehouse and a log store. */
@NullMarked
package io.stele.storage.encryption;

import org.jspecify.annotations.NullMarked;
