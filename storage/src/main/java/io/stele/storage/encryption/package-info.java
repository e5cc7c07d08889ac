/** Encryption of everything that a warehouse and a log keep. */
@NullMarked
package io.stele.storage.encryption;

import org.jspecify.annotations.NullMarked;
