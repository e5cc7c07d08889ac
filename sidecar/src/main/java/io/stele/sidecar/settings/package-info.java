/**
 * The reading of files of settings in JSON. Any package may call it; it knows none of the settings.
 */
@NullMarked
package io.stele.sidecar.settings;

import org.jspecify.annotations.NullMarked;
