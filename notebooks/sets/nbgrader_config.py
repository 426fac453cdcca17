"""What nbgrader is told of this course folder."""

c = get_config()
c.CourseDirectory.course_id = "bertattn"
c.ClearSolutions.code_stub = {"python": "..."}  # so that an exercise not tried yet says so
c.ClearSolutions.text_stub = "*Your answer:*"
c.ExecutePreprocessor.timeout = 600
