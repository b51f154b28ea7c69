-- wrk prints no 99.9th percentile by itself. Nothing here runs per request.
function done(_summary, latency, _requests)
  io.write(string.format("p99.9: %.0f us\n", latency:percentile(99.9)))
end
