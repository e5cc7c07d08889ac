/** Installs Stele's zips as its documentation says. Starts processes; nothing calls it. */
@NullMarked
package io.stele.distribution.installation;

import org.jspecify.annotations.NullMarked;
