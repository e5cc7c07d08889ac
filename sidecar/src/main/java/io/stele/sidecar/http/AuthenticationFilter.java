package io.stele.sidecar.http;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.protocol.SteleException;
import io.stele.sidecar.auth.Authenticator;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;

/**
 * Lets a request pass only with the shared secret, except {@code /v1/info}. What does not exist is
 * not told either.
 */
public final class AuthenticationFilter implements Filter {
    private static final String OPEN_PATH = "/v1/info";

    private final Authenticator authenticator;

    @Inject
    public AuthenticationFilter(Authenticator authenticator) {
        this.authenticator = requireNonNull(authenticator, "authenticator is null");
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest httpRequest = (HttpServletRequest) request;
        if (!OPEN_PATH.equals(httpRequest.getRequestURI())) {
            try {
                authenticator.authenticate(
                        Optional.ofNullable(httpRequest.getHeader("Authorization")));
            } catch (SteleException e) {
                refuse((HttpServletResponse) response, e);
                return;
            }
        }
        chain.doFilter(request, response);
    }

    private static void refuse(HttpServletResponse response, SteleException reason)
            throws IOException {
        response.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
        response.addHeader("WWW-Authenticate", "Bearer");
        response.addHeader("WWW-Authenticate", "Basic realm=\"stele\"");
        response.setContentType("text/plain;charset=utf-8");
        response.getWriter().println(reason.getMessage());
    }
}
