package io.stele.protocol.api;

import com.fasterxml.jackson.annotation.JsonAutoDetect;

/** A reply (or a request) that says nothing but that it is one: {@code {}}. */
@JsonAutoDetect
public record Done() {
    public static final Done DONE = new Done();
}
